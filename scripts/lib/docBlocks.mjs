import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'
import { lineAt, listFiles, readSource } from './sources.mjs'

const isPage = (path) =>
  /^(docs|packages|deploy)\/.*\.md$|^README\.md$/.test(path) &&
  !/\/(templates|artifacts|node_modules|reference)\//.test(path)

/** Returns the fenced blocks of all pages: `{ page, line, language, code, before }`; `before` is the line above the block. */
export const listBlocks = () =>
  listFiles('.md')
    .filter(isPage)
    .flatMap((page) => readBlocks(page, readSource(page)))

function readBlocks(page, text) {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(({ 1: indent, 2: language, 3: code, index }) => ({
    page,
    line: lineAt(text, index),
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    before: text.slice(0, index).trimEnd().split('\n').at(-1).trim(),
  }))
}

/** Returns whether the line before a block names an existing test that runs the block. */
export function isRun(before) {
  const runner = /^<!-- run by (\S+) -->$/.exec(before)?.[1]
  return runner !== undefined && existsSync(join(root, runner))
}
