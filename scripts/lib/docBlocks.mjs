import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'
import { lineAt, listFiles, readSource } from './sources.mjs'

const isPage = (path) =>
  /^(docs|packages|deploy)\/.*\.md$|^README\.md$/.test(path) &&
  !/\/(templates|artifacts|node_modules|reference)\//.test(path)

/** Pages that people read, of the whole repository. */
export const listPages = () => listFiles('.md').filter(isPage)

/** The fenced blocks of the pages: `{ page, line, language, code, before }`; `before` is the line above it that is not empty. */
export function listBlocks() {
  return listPages().flatMap((page) => {
    const text = readSource(page)
    return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: code, index }) => ({
      page,
      line: lineAt(text, index),
      language,
      code,
      before: text.slice(0, index).trimEnd().split('\n').at(-1),
    }))
  })
}

/** Whether the line before a block names a test that there is. */
export function isRun(before) {
  const runner = /^<!-- run by (\S+) -->$/.exec(before)?.[1]
  return runner !== undefined && existsSync(join(root, runner))
}

/**
 * Commands that do not say where they run: before each block of `sh` stands `<!-- run by FILE -->`, a test that
 * holds it, or `<!-- not run: REASON -->`.
 */
export function findUnmarkedCommands() {
  return listBlocks()
    .filter(({ language }) => language === 'sh')
    .filter(({ before }) => !isRun(before) && !/^<!-- not run: \S.+ -->$/.test(before))
    .map(({ page, line }) => `${page}:${line}: say above it which test runs it, or why none does`)
}
