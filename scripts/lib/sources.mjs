import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { root } from './run.mjs'

/** Lists the repository's tracked and untracked files, without ignored ones, with one of these endings. */
export function listFiles(...endings) {
  const args = ['ls-files', '-co', '--exclude-standard', '-z', '--', ...endings.map((ending) => `*${ending}`)]
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 })
  return output.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

export const readSource = (path) => readFileSync(join(root, path), 'utf8')

/** Parses a file: text, syntax tree (ESTree), comments and module records. */
export function parseSource(path) {
  const text = readSource(path)
  return { path, text, ...parseSync(path, text) }
}

/** Returns the 1-based line of an offset. */
export const lineAt = (text, offset) => text.slice(0, offset).split('\n').length

/** Calls `visit(node, parent)` for every node of a syntax tree. */
export function walk(node, visit, parent) {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit, parent)
    return
  }
  if (typeof node.type === 'string') visit(node, parent)
  for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit, node)
}
