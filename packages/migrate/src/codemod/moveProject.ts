import MagicString from 'magic-string'
import { moveCalls } from './moveCalls.ts'
import { isOldPackage, listBindings, moveImports } from './moveImports.ts'
import { movePackage } from './movePackage.ts'
import { findUi, moveProvider, moveTailwind, moveUi, type UiPlace } from './moveProvider.ts'
import {
  createFindings,
  type Finding,
  type Kit,
  literalArgument,
  type Move,
  type ProjectFile,
  readMember,
  textAt,
} from './parts.ts'
import { child, type Node, nodes, parseSource, readName, readText, type Source, walk } from './tree.ts'

export declare namespace moveProject {
  type ReturnType = {
    /** Changed files with their new text. */
    changed: (ProjectFile & { before: string })[]
    /** Reasons to write nothing: code without a counterpart, and files that do not parse. */
    stops: Finding[]
    /** Changes left to the user. */
    left: Finding[]
  }
}

/** Migrates the files of an Account Kit app: sources, and the `package.json` files. Does no I/O. */
export function moveProject(
  files: readonly ProjectFile[],
  versions: Pick<movePackage.Options, 'version' | 'viem'>,
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
      project: { policy: undefined },
      ...findings.of(source),
    }
  })
  const policy = kit === '4.x' ? findPolicy(moves) : undefined
  const ui = kit === '4.x' ? findUis(moves) : undefined
  for (const move of moves) {
    move.project = { policy }
    if (ui && ui.path === move.source.path)
      moveUi(move, ui, { isElsewhere: !moves.some((one) => one.source.path === ui.path && hasProvider(one)) })
    moveProvider(move, ui)
    moveCalls(move)
    moveTailwind(move)
    moveImports(move)
  }
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
  return { changed: [...changed, ...moved], stops: findings.stops, left: findings.left }
}

export const isSourcePath = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts')

export const mentionsOldPackage = (text: string): boolean => /['"]@(?:alchemy\/aa-|account-kit\/|aa-sdk\/)/.test(text)

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

/** Returns the config's policy if it means the same in every file. */
function findPolicy(moves: readonly Move[]): string | undefined {
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
  if (isAnywhere && rest.length === 0) return text
  for (const { move, value } of found)
    move.leave(value, 'the policy: give gasManagerConfig: { policyId } to each client')
  return undefined
}
