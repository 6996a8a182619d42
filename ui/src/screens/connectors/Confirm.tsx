import { Dialog } from '../../shell/Dialog'

interface Props {
  title: string
  text: string
  name: string
  yes: string
  confirm: () => void
  cancel: () => void
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, text, name, yes, confirm, cancel }: Props) {
  return (
    <Dialog label={title} close={cancel}>
      <h2>{title}</h2>
      <p>
        <code>{name}</code>
      </p>
      <p>{text}</p>
      <div className="row end">
        <button type="button" className="button" autoFocus onClick={cancel}>
          Cancel
        </button>
        <button type="button" className="button danger" onClick={confirm}>
          {yes}
        </button>
      </div>
    </Dialog>
  )
}
