import MagicString from 'magic-string'
import { findTraces, moveStyles } from './findTraces.ts'
import { moveAuthMethods } from './moveAuthMethods.ts'
import { moveCalls } from './moveCalls.ts'
import { isOldPackage, listBindings, moveImports } from './moveImports.ts'
import { movePackage } from './movePackage.ts'
import { findUi, moveProvider, moveUi, type UiPlace } from './moveProvider.ts'
import { addTokens, hasTheme, moveTheme } from './moveTheme.ts'
import { checkUsers } from './moveUsers.ts'
import {
  createFindings,
  type Finding,
  isSourcePath,
  type Kit,
  literalArgument,
  type Move,
  type ProjectFile,
  readMember,
  textAt,
} from './parts.ts'
import { child, type Node, nodes, parseSource, readName, readText, type Source, walk } from './tree.ts'

export declare namespace moveProject {
  type Options = Pick<movePackage.Options, 'version' | 'viem'> & {
    /** Whether to migrate an app with OAuth sign-in without this sign-in method. */
    dropsSocial?: boolean | undefined
  }
  type ReturnType = {
    /** Changed files with their new text. */
    changed: (ProjectFile & { before: string })[]
    /** Reasons why no file is changed: code without a counterpart, and files with syntax errors. */
    stops: Finding[]
    /** Findings that the user must fix. */
    left: (Finding & { lineAfter: number })[]
  }
}

/** Migrates the sources and `package.json` files of an Account Kit app. Does no I/O. */
export function moveProject(
  files: readonly ProjectFile[],
  { dropsSocial = false, ...versions }: moveProject.Options,
): moveProject.ReturnType {
  const findings = createFindings()
  const sources = files
    .filter(({ path, text }) => isSourcePath(path) && mentionsOldPackage(text))
    .flatMap((file) => parse(file, findings.stops))
  const kit: Kit = sources.some(({ text }) => /['"]@(?:account-kit|aa-sdk)\//.test(text)) ? '4.x' : '3.x'
  const moves = sources.map((source): Move => {
    const bindings = listBindings(source)
    const edit = new MagicString(source.text)
    return {
      source,
      edit,
      kit,
      bindings,
      kept: new Set(),
      removed: new Set(),
      filled: new Map(),
      project: { policy: undefined, onPolicyMoved: () => undefined, dropsSocial },
      ...findings.of(source),
    }
  })
  const policy = kit === '4.x' ? findPolicy(moves) : undefined
  const ui = kit === '4.x' ? findUis(moves) : undefined
  let isPolicyMoved = false
  const onPolicyMoved = () => {
    isPolicyMoved = true
  }
  const themes = moves.map((move) => ({ move, tokens: moveTheme(move) }))
  for (const move of moves) {
    move.project = { policy: policy?.text, onPolicyMoved, dropsSocial }
    if (ui && ui.path === move.source.path)
      moveUi(move, ui, { isElsewhere: !moves.some((one) => one.source.path === ui.path && hasProvider(one)) })
    moveProvider(move, ui)
    moveCalls(move)
    checkUsers(move)
    moveAuthMethods(move)
    moveImports(move)
  }
  if (policy && !isPolicyMoved) policy.leave()
  const owner = moves.find(({ source }) => source.path === ui?.path)
  for (const theme of themes) addTokens(theme, ui && owner && { move: owner, node: ui.ui })
  const traces = moves.length > 0 ? findTraces(files, { hasTheme: moves.some(hasTheme) }) : []
  const lineOf = trackLines(moves)
  const changed = moves
    .map(({ source, edit }) => ({ path: source.path, before: source.text, text: edit.toString() }))
    .filter(({ before, text }) => before !== text)
  const kept = new Set(
    changed.flatMap(({ text }) =>
      [...text.matchAll(/['"](@(?:alchemy|account-kit|aa-sdk)\/[\w-]+)/g)].map(([, name = '']) => name),
    ),
  )
  const manifests = files.filter(({ path }) => path.endsWith('package.json'))
  const moved = manifests.flatMap((file) => movePackage(file, { ...versions, kept }))
  return {
    changed: [...changed, ...moveStyles(files), ...moved],
    stops: findings.stops,
    left: [...findings.left, ...traces].map((one) => ({ ...one, lineAfter: lineOf(one) })),
  }
}

export const mentionsOldPackage = (text: string): boolean => /['"]@(?:alchemy\/aa-|account-kit\/|aa-sdk\/)/.test(text)

/**
 * Returns a function that maps a finding to its line after the migration: the line of the closest preceding text that
 * has not changed.
 */
function trackLines(moves: readonly Move[]): (finding: Finding) => number {
  const known = new Map<string, ReadonlyMap<number, number>>()
  return ({ path, line }) => {
    const move = moves.find(({ source }) => source.path === path)
    if (!move?.edit.hasChanged()) return line
    const lines = known.get(path) ?? listLines(move)
    known.set(path, lines)
    for (let before = line; before > 0; before--) {
      const after = lines.get(before)
      if (after !== undefined) return after
    }
    return 1
  }
}

/** Returns the lines of the unchanged text of a file, before and after the migration. */
function listLines({ edit }: Move): Map<number, number> {
  const lines = new Map<number, number>()
  for (const [index, segments] of edit.generateDecodedMap({ hires: 'boundary' }).mappings.entries())
    for (const [, , before] of segments)
      if (before !== undefined && !lines.has(before + 1)) lines.set(before + 1, index + 1)
  return lines
}

function parse({ path, text }: ProjectFile, stops: Finding[]): Source[] {
  const source = parseSource(path, text)
  if (!('problem' in source)) return [source]
  stops.push({ path, line: source.line, text: source.problem })
  return []
}

function hasProvider({ bindings }: Move): boolean {
  return [...bindings.values()].some(({ name }) => name === 'AlchemyAccountProvider')
}

const isCreateConfig =
  ({ bindings }: Move) =>
  (callee: string): boolean =>
    bindings.get(callee)?.name === 'createConfig' && isOldPackage(bindings.get(callee)?.from)

function findUis(moves: readonly Move[]): UiPlace | undefined {
  const [first, ...rest] = moves.flatMap((move) => findUi(move.source, isCreateConfig(move)) ?? [])
  for (const one of rest)
    moves
      .find(({ source }) => source.path === one.path)
      ?.leave(one.call, 'the second argument is the `uiConfig` of the provider')
  return first
}

/**
 * Returns the config's policy if its expression is valid in every file, with a function that reports the policy to the
 * user.
 */
function findPolicy(moves: readonly Move[]): { text: string; leave(): void } | undefined {
  const found: { move: Move; value: Node }[] = []
  for (const move of moves)
    walk(move.source.program, (node) => {
      if (node.type !== 'CallExpression' || !isCreateConfig(move)(readName(child(node, 'callee')) ?? '')) return
      const { members } = literalArgument(node) ?? {}
      const value = child(members?.get('policyId'), 'value')
      if (value) found.push({ move, value })
      const chains = readMember(members, 'chains')
      for (const chain of nodes(chains, 'elements'))
        for (const property of nodes(chain, 'properties'))
          if (readName(child(property, 'key')) === 'policyId')
            move.leave(
              property,
              `the policy of one chain: give gasManagerConfig: { policyId: ${textAt(move, child(property, 'value') ?? property)} } to the clients of that chain`,
            )
    })
  const [first, ...rest] = found
  if (!first) return undefined
  const text = textAt(first.move, first.value)
  const isAnywhere = readText(first.value) !== undefined || /^(process\.env|import\.meta\.env)\.\w+!?$/.test(text)
  const leave = () => {
    for (const { move, value } of found)
      move.leave(value, `the policy: give gasManagerConfig: { policyId: ${textAt(move, value)} } to each client`)
  }
  if (isAnywhere && rest.length === 0) return { text, leave }
  leave()
  return undefined
}
