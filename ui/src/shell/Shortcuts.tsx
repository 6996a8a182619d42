import { Dialog } from './Dialog'

const KEYS: [string, string][] = [
  ['/ or Ctrl K', 'search'],
  ['arrows', 'move between connected cards'],
  ['Enter', 'open the drawer of a card'],
  ['e', 'show or hide columns'],
  ['u, d', 'light what is upstream, downstream'],
  ['i', 'the edges of this card: how each is known, how columns are made'],
  ['o', 'focus: the graph around this card'],
  ['c', 'fold the namespace of this card into one'],
  ['[ ]', 'less or more depth'],
  ['f', 'fit everything on screen'],
  ['+ −', 'zoom'],
  ['t', 'time'],
  ['Ctrl Z', 'undo a change of the view (as Back does)'],
  ['g then g j d r s c e x', 'go to graph, jobs, datasets, runs, streams, connectors, events, diagnostics'],
  ['Esc', 'close the innermost thing'],
]

export function Shortcuts({ close }: { close: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" close={close}>
      <h1>Keyboard</h1>
      <dl className="facts">
        {KEYS.map(([key, what]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>
              <span className="kbd">{key}</span>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="button" onClick={close} autoFocus>
        Close
      </button>
    </Dialog>
  )
}
