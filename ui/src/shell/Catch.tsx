import { Component, type ReactNode } from 'react'
import { Failed } from '../design/states'

/** A fault in one screen stays in that screen. */
export class Catch extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return <Failed error={this.state.error} what="this screen" retry={() => this.setState({ error: null })} />
  }
}
