/** A connector as somebody pastes it: `{"name": …, "config": {…}}`, or the settings alone with the name among them. */

export interface Pasted {
  name: string
  config: Record<string, string>
}

export class NotAConnector extends Error {}

export function parsePasted(text: string): Pasted {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new NotAConnector(`This is not JSON: ${(error as Error).message}`)
  }
  if (!isRecord(value)) throw new NotAConnector('Expected an object: {"name": "…", "config": {…}}')
  const inner = value['config']
  const settings = isRecord(inner) ? inner : value
  const name = value['name'] ?? settings['name']
  if (typeof name !== 'string' || !name.trim()) throw new NotAConnector('It has no name; add "name": "…"')
  const config: Record<string, string> = {}
  for (const [key, setting] of Object.entries(settings)) {
    if (setting === null) continue
    if (typeof setting === 'object') throw new NotAConnector(`The setting ${key} is not a plain value; Connect takes only texts, numbers, true and false`)
    config[key] = String(setting)
  }
  if (!config['connector.class']) throw new NotAConnector('It has no connector.class; add the class of the connector')
  return { name: name.trim(), config: { ...config, name: name.trim() } }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
