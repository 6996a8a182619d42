import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { refusal } from './api/client'
import './design/tokens.css'
import './design/base.css'
import './design/components.css'
import { App } from './shell/App'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // What the server refused once, it refuses again; only a lost connection is worth another try.
      retry: (count, error) => refusal(error) === null && count < 2,
    },
  },
})

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
