/** Asking the server: JSON in, JSON out, addresses relative to where the page is served. */

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: unknown = null,
  ) {
    super(message)
  }
}

export type Params = Record<string, string | number | boolean | null | undefined>

/** The status of a refusal by the server, or null when it could not be reached at all. */
export function refusal(error: unknown): number | null {
  return error instanceof ApiError && error.status > 0 && error.status < 500 ? error.status : null
}

/** The address of an API path such as `/api/v2/graph`, wherever the page is mounted. */
export function address(path: string, params: Params = {}): string {
  const url = new URL(path.replace(/^\//, ''), new URL('.', document.baseURI))
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url.href
}

/** A path from its parts, each of them encoded: names hold slashes and colons. */
export function path(strings: TemplateStringsArray, ...names: string[]): string {
  return strings.reduce((whole, part, i) => whole + encodeURIComponent(names[i - 1] ?? '') + part)
}

export function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', address(path, params), undefined, signal)
}

export function send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, params: Params = {}): Promise<T> {
  return ask<T>(method, address(path, params), body)
}

/** An answer that is not read here: a worker parses it, away from the page. */
export async function getUnread(path: string, params: Params = {}, signal?: AbortSignal): Promise<Blob> {
  const response = await reach('GET', address(path, params), undefined, signal)
  if (!response.ok) throw refused(response.status, await response.text())
  return response.blob()
}

async function ask<T>(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await reach(method, url, body, signal)
  const text = await response.text()
  if (!response.ok) throw refused(response.status, text)
  return parsed(text) as T
}

async function reach(method: string, url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init: RequestInit = { method, headers: { accept: 'application/json' } }
  if (signal) init.signal = signal
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { ...init.headers, 'content-type': 'application/json' }
  }
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'The server cannot be reached. This page goes on as soon as it answers again.')
  }
}

function refused(status: number, text: string): ApiError {
  const content = parsed(text)
  return new ApiError(status, message(status, content), content)
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function message(status: number, content: unknown): string {
  if (content && typeof content === 'object' && 'message' in content && typeof content.message === 'string') return content.message
  return `The server answered ${status}.`
}
