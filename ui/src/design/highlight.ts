/** Text split into the few sorts of token that are worth a colour. Tokens joined are the text again. */

export interface Token {
  text: string
  sort: 'plain' | 'word' | 'text' | 'number' | 'comment' | 'key'
}

const WORDS = new Set(
  (
    'select from where group by order having join left right inner outer full cross on using as and or not in is null like between ' +
    'case when then else end insert into overwrite values update set delete merge matched create replace table view temporary if exists ' +
    'drop alter with recursive union all distinct limit offset partition partitioned over window rows range cast interval true false ' +
    'def return import class for while try except lambda print none self val var object public static void new'
  ).split(' '),
)
const CODE = /(--[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)|('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`[^`]*`)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_][A-Za-z0-9_]*)/g
const JSON_PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** SQL, and near enough for Python, Scala and Java. */
export function code(text: string): Token[] {
  return tokens(text, CODE, (match) => {
    if (match[1] !== undefined) return 'comment'
    if (match[2] !== undefined) return 'text'
    if (match[3] !== undefined) return 'number'
    return WORDS.has(match[0].toLowerCase()) ? 'word' : 'plain'
  })
}

export function json(text: string): Token[] {
  return tokens(text, JSON_PARTS, (match) => {
    if (match[1] !== undefined) return match[2] !== undefined ? 'key' : 'text'
    return match[3] !== undefined ? 'number' : 'word'
  })
}

function tokens(text: string, pattern: RegExp, sort: (match: RegExpMatchArray) => Token['sort']): Token[] {
  const found: Token[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index), sort: 'plain' })
    found.push({ text: match[0], sort: sort(match) })
    at = match.index + match[0].length
  }
  if (at < text.length) found.push({ text: text.slice(at), sort: 'plain' })
  return found
}
