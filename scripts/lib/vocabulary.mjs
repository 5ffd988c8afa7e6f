import { fileURLToPath } from 'node:url'
import { isTest, lineAt, listFiles, parseSource, walk } from './sources.mjs'

/** Words that a stranger stumbles over, and what to say instead. */
const inComments = [
  [/\banswer(s|ed|ing)\b/i, 'returns, responds'],
  [/\b(whoever|nobody|somebody|anybody)\b/i, 'the role: caller, user, owner, attacker'],
  [/\bwhatever\b/i, 'any, every'],
  [/\b(anew|hitherto|thereof|in vain)\b/i, 'again, until now, its, without effect'],
  [/\btold\b/i, 'is called, gets, reports'],
  [/\bgone\b/i, 'ended, removed, closed'],
  [/\bforg(ets?|ot|otten)\b/i, 'deletes, clears'],
  [/\bfor ever\b/i, 'without end'],
  [/\ball the same\b/i, 'even so'],
  [/\bspeaks? for\b/i, 'authenticates as, belongs to'],
  [/\b(lets|let) (somebody|someone|people) in\b/i, 'authenticates'],
]
const inIdentifiers = [
  [/answer/i, 'response, result, reply'],
  [/^(dress|findSpeaker|whoever|somebody|nobody)/i, 'what it returns or does'],
]
/** Functions are named for what they return or do. */
const functionName = [/[a-z]Of$/, 'getX, readX, toX, createX']
/** Names of contracts and of the language. */
const exempt = new Set(['ownersOf', 'isOwnerOf', 'balanceOf', 'indexOf', 'valueOf', 'setPrototypeOf', 'getPrototypeOf'])

/** Places `below` a folder where a comment or an identifier uses a listed word: `path:line word → what to say`. */
export function findListedWords(below = '') {
  return listFiles('.ts', '.tsx', '.mjs')
    .filter((path) => path.startsWith(below) && path !== 'scripts/lib/vocabulary.mjs')
    .flatMap((path) => wordsIn(parseSource(path)))
}

function wordsIn({ path, text, program, comments }) {
  const found = []
  const report = (offset, word, instead) => found.push(`${path}:${lineAt(text, offset)} "${word}" → ${instead}`)
  for (const { value, start } of comments) {
    // Code in a comment is not prose.
    const prose = value.replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
    for (const [pattern, instead] of inComments) {
      const match = pattern.exec(prose)
      if (match) report(start + match.index, match[0], instead)
    }
  }
  walk(program, (node, parent) => {
    if (node.type !== 'Identifier' || exempt.has(node.name) || !isDeclared(node, parent)) return
    if (isTest(path)) return
    for (const [pattern, instead] of inIdentifiers) if (pattern.test(node.name)) report(node.start, node.name, instead)
    if (isFunctionName(node, parent) && functionName[0].test(node.name)) report(node.start, node.name, functionName[1])
  })
  return found
}

const isDeclared = (node, parent) =>
  parent.id === node || parent.key === node || parent.params?.includes(node) || parent.local === node

function isFunctionName(node, parent) {
  if (/^(FunctionDeclaration|TSDeclareFunction)$/.test(parent.type)) return parent.id === node
  if (parent.type === 'VariableDeclarator') return parent.id === node && /Function/.test(parent.init?.type ?? '')
  return parent.type === 'Property' && parent.key === node && parent.method === true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(findListedWords(process.argv[2]).join('\n'))
