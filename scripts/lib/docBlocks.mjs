import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'
import { lineAt, listFiles, readSource } from './sources.mjs'

const isPage = (path) =>
  /^(docs|packages|deploy)\/.*\.md$|^README\.md$/.test(path) &&
  !/\/(templates|artifacts|node_modules|reference)\//.test(path)

/** Pages that people read, of the whole repository. */
export const listPages = () => listFiles('.md').filter(isPage)

/** The fenced blocks of the pages: `{ page, line, language, code, before }`; `before` is the line above it that is not empty. */
export const listBlocks = () => listPages().flatMap((page) => readBlocks(page, readSource(page)))

/** The fenced blocks of one page, those inside of lists too, whose indent is left out. */
export function readBlocks(page, text) {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(({ 1: indent, 2: language, 3: code, index }) => ({
    page,
    line: lineAt(text, index),
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    before: text.slice(0, index).trimEnd().split('\n').at(-1).trim(),
  }))
}

/** The test that the line before a block names, if there is one. */
function readRunner(before) {
  const runner = /^<!-- run by (\S+) -->$/.exec(before)?.[1]
  return runner !== undefined && existsSync(join(root, runner)) ? runner : undefined
}

/** Whether the line before a block names a test that there is. */
export const isRun = (before) => readRunner(before) !== undefined

const programs = /^\s*(npm|npx|latchkey-server|latchkey-dev|npm create latchkey)\s/

/**
 * Commands that do not say where they run: before each block of commands stands `<!-- run by FILE -->`, a test that
 * calls each of them by its words and options, or `<!-- not run: REASON -->`.
 */
export const findUnmarkedCommands = (blocks = listBlocks()) => blocks.flatMap(findUnmarked)

function findUnmarked({ page, line, language, code, before }) {
  const lines = code.split('\n')
  if (language !== 'sh' && (language !== '' || !lines.some((text) => programs.test(text)))) return []
  const at = `${page}:${line}:`
  if (language !== 'sh') return [`${at} mark it as sh`]
  if (/^<!-- not run: \S.+ -->$/.test(before)) return []
  const runner = readRunner(before)
  if (runner === undefined) return [`${at} say above it which test runs it, or why none does`]
  const test = readFileSync(join(root, runner), 'utf8')
  // It takes the commands from the page itself.
  if (test.includes(page)) return []
  const missing = lines.flatMap(readWords).filter((word) => !new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(test))
  return missing.length === 0 ? [] : [`${at} ${runner} never says ${missing.join(', ')}`]
}

/** Blocks of JSON that are none. */
export const findBrokenJson = (blocks = listBlocks()) =>
  blocks.flatMap(({ page, line, language, code }) => {
    if (language !== 'json') return []
    try {
      JSON.parse(code)
      return []
    } catch (error) {
      return [`${page}:${line}: ${error.message}`]
    }
  })

/** What is peculiar to a command: its first words and its options. */
function readWords(line) {
  const words = line.replace(/ +#.*/, '').trim().split(/\s+/)
  if (!programs.test(line)) return []
  const rest = words.slice(/^npx$/.test(words[0]) ? 2 : 1)
  const end = rest.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  return [...rest.slice(0, end < 0 ? 2 : Math.min(end, 2)), ...rest.filter((word) => /^--[a-z]/.test(word))]
}
