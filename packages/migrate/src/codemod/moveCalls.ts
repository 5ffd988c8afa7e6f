import { addMember, literalArgument, type Move, readMember, removeMember, textAt } from './parts.ts'
import { checkSocial } from './social.ts'
import { child, hasSpread, type Node, nodes, readMembers, readName, readText, unwrap, walk } from './tree.ts'

/** Calls that select an account by `type`. Calls with a client also accept the policy. */
const accountCalls: Readonly<Record<string, { hasClient: boolean }>> = {
  createAccount: { hasClient: false },
  getSmartAccountClient: { hasClient: true },
  useAccount: { hasClient: false },
  useSmartAccountClient: { hasClient: true },
  watchSmartAccountClient: { hasClient: true },
}
/** Calls that accept only a type, and use the account of another call. */
const typeCalls = new Set(['getAccount', 'watchAccount'])
const clientCalls = new Set([
  'createAlchemyPublicRpcClient',
  'createAlchemySmartAccountClient',
  'createLightAccountAlchemyClient',
  'createModularAccountAlchemyClient',
  'createModularAccountV2Client',
  'createMultiOwnerLightAccountAlchemyClient',
])
/**
 * Calls that create a light account. Without a version, 4.x creates version 2; Latchkey creates version 1.1.0, which
 * has another address.
 */
const lightCalls = new Set(['createLightAccountAlchemyClient', 'createLightAccount'])

/** Rewrites calls and objects that differ from 4.x: connections, policies, versions, sign-in by code. */
export function moveCalls(move: Move): void {
  if (move.kit !== '4.x') return
  const moved = new Set<Node>()
  walk(move.source.program, (node, parents) => {
    if (node.type === 'ObjectExpression') checkMembers(move, node, parents)
    if (node.type !== 'CallExpression') return
    checkAddress(move, node, parents)
    const name = importedName(move, child(node, 'callee'))
    if (name === undefined) return
    if (name === 'createConfig') moveConfig(move, node, moved)
    const account = Object.hasOwn(accountCalls, name) ? accountCalls[name] : undefined
    if (account) moveAccountCall(move, { call: node, name, ...account })
    if (typeCalls.has(name)) {
      const [first] = nodes(node, 'arguments')
      const members = readMembers(first)
      if (first) checkType(move, { literal: first, type: members ? readMember(members, 'type') : first, name })
    }
    if (clientCalls.has(name)) moveClientCall(move, node, moved)
    if (lightCalls.has(name)) nameVersion(move, node, name)
  })
  moveTransports(move, moved)
  moveCodes(move)
}

/** Reports a client's `getAddress()` without `await`, because it returns a promise in Latchkey. */
function checkAddress(move: Move, call: Node, parents: readonly Node[]) {
  const isRead = readName(child(child(call, 'callee'), 'property')) === 'getAddress'
  const isAwaited = /^(AwaitExpression|MemberExpression)$/.test(parents.at(-1)?.type ?? '')
  if (isRead && !isAwaited)
    move.leave(call, 'getAddress of a client returns a promise here: await it, or write client.account.address')
}

function importedName({ bindings }: Move, callee: Node | undefined): string | undefined {
  return bindings.get(readName(callee) ?? '')?.name
}

/** Reports unsupported sign-in methods. */
function checkMembers(move: Move, literal: Node, parents: readonly Node[]): void {
  const members = readMembers(literal)
  const type = readText(readMember(members, 'type'))
  checkSocial(move, literal, parents)
  if (type === 'sms' || type === 'phone') move.stop(literal, 'sign-in by phone has no counterpart')
  const solana = members?.get('solana')
  if (solana) move.stop(solana, 'Solana has no counterpart')
  if (type === 'external_wallets')
    move.leave(literal, "external wallets are wagmi's here, beside our connector: remove this section")
}

/**
 * Rewrites `{ chain, transport, policyId }` to `{ chain, apiKey }`, and several chains to `connections`. Moves the
 * second argument to the provider.
 */
function moveConfig(move: Move, call: Node, moved: Set<Node>) {
  const config = literalArgument(call)
  if (!config)
    return move.leave(
      call,
      'the config is not written out here: give `apiKey` where it has `transport`, and the policy to the clients',
    )
  const { literal, members } = config
  // Removes these members before adding others after the last member.
  for (const name of ['enablePopupOauth', 'oauthCallbackUrl', 'accountCreationHint']) {
    const member = members.get(name)
    if (member) removeMember(move, literal, member)
  }
  for (const [name, why] of withoutCounterpart) {
    const member = members.get(name)
    if (member) move.leave(member, `${name}: ${why}`)
  }
  const chains = members.get('chains')
  if (chains) moveChains(move, { literal, members, chains }, moved)
  else moveConnection(move, config, moved)
}

/** Members of the 4.x config that the user must migrate. */
const withoutCounterpart = [
  ['connectors', "external wallets are wagmi's: give them to its config, beside our connector"],
  ['policyToken', 'paymasters paid in tokens have no counterpart: remove it'],
] as const

type Literal = { literal: Node; members: Map<string, Node> }

/**
 * Rewrites several chains to connections, and sets the connection of the signer. Chains without their own connection
 * use the config's.
 */
function moveChains(move: Move, { literal, members, chains }: Literal & { chains: Node }, moved: Set<Node>) {
  const list = unwrap(child(chains, 'value'))
  const key = child(chains, 'key')
  if (list?.type !== 'ArrayExpression' || !key) return move.leave(chains, 'write `connections`, one for each chain')
  move.edit.overwrite(key.start, key.end, 'connections')
  const common = takeConnection(move, { literal, members }, moved)
  let first: string | undefined
  for (const element of nodes(list, 'elements')) {
    const one = readMembers(element)
    if (!one || hasSpread(element)) {
      move.leave(element, 'give this chain its connection: `{ chain, apiKey }`')
      continue
    }
    const own = transportCall(move, one)
    first ??= own && innerText(move, own)
    const isWithout = !one.has('transport')
    moveConnection(move, { literal: element, members: one }, moved)
    if (isWithout && common !== undefined) addMember(move, element, common)
  }
  const connection = first ?? common
  if (members.has('signerConnection')) return
  if (connection === undefined) return move.leave(chains, 'name the signer service: `signerConnection: { apiKey }`')
  addMember(move, literal, `signerConnection: { ${connection} }`)
}

/** Removes connection and policy from a config with several chains. Returns the connection's members. */
function takeConnection(move: Move, { literal, members }: Literal, moved: Set<Node>): string | undefined {
  const transport = members.get('transport')
  const policy = members.get('policyId')
  if (policy) removeMember(move, literal, policy)
  if (!transport) return undefined
  const call = transportCall(move, members)
  if (call) {
    checkConnection(move, call)
    moved.add(call)
  }
  removeMember(move, literal, transport)
  return call ? innerText(move, call) : `...${textAt(move, child(transport, 'value') ?? transport)}`
}

function transportCall(move: Move, members: ReadonlyMap<string, Node>): Node | undefined {
  const value = readMember(members, 'transport')
  return value?.type === 'CallExpression' && importedName(move, child(value, 'callee')) === 'alchemy'
    ? value
    : undefined
}

/** Rewrites `transport: alchemy({ apiKey })` to `apiKey`, and removes the policy from the config. */
function moveConnection(move: Move, { literal, members }: Literal, moved: Set<Node>) {
  const transport = members.get('transport')
  const call = transportCall(move, members)
  if (transport && call) {
    move.edit.overwrite(transport.start, transport.end, innerText(move, call))
    checkConnection(move, call)
    moved.add(call)
  } else if (transport)
    move.edit.overwrite(transport.start, transport.end, `...${textAt(move, child(transport, 'value') ?? transport)}`)
  const policy = members.get('policyId')
  if (policy) removeMember(move, literal, policy)
}

const connectionMembers = new Set(['apiKey', 'jwt', 'rpcUrl'])

function checkConnection(move: Move, call: Node) {
  const given = readMembers(nodes(call, 'arguments')[0])
  for (const [name, member] of given ?? [])
    if (!connectionMembers.has(name))
      move.leave(member, `${name} is no part of a connection here: apiKey, jwt or rpcUrl`)
}

/** Returns the members of the connection as text, or a spread of its expression. */
function innerText(move: Move, call: Node): string {
  const argument = unwrap(nodes(call, 'arguments')[0])
  if (argument?.type !== 'ObjectExpression') return argument ? `...${textAt(move, argument)}` : ''
  return nodes(argument, 'properties')
    .map((property) => textAt(move, property))
    .join(', ')
}

type AccountCall = { call: Node; name: string; hasClient: boolean }

function moveAccountCall(move: Move, { call, name, hasClient }: AccountCall) {
  const argument = literalArgument(call)
  const { policy } = move.project
  const payer = hasClient && policy !== undefined ? `gasManagerConfig: { policyId: ${policy} }` : undefined
  if (nodes(call, 'arguments').length === 0) {
    move.edit.appendLeft(call.end - 1, `{ ${[defaultType, payer].filter(Boolean).join(', ')} }`)
    if (payer) move.project.onPolicyMoved()
    return
  }
  if (!argument)
    return move.leave(
      call,
      `${name}: for a LightAccount add accountParams: { version: 'v2.0.0' }, which is its version in 4.x; without a type add ${defaultType}`,
    )
  const { literal, members } = argument
  const hasOwnPayer = members.has('gasManagerConfig') || members.has('policyId')
  // Runs before other members are added: overwriting a member would remove additions after it.
  if (hasClient) movePolicy(move, members)
  const kind = checkType(move, { literal, type: readMember(members, 'type'), name })
  if (kind === 'ModularAccountV2') removeMode(move, members)
  if (kind === 'LightAccount') addVersion(move, { literal, members, call, name })
  if (payer === undefined || kind === undefined || hasOwnPayer) return
  addMember(move, literal, payer)
  move.project.onPolicyMoved()
}

/** Account type of 4.x calls without a `type`. */
const defaultType = "type: 'ModularAccountV2'"

/** Returns the account type of a call, and adds a missing one to the call. Returns undefined if the type is unknown. */
function checkType(
  move: Move,
  { literal, type, name }: { literal: Node; type: Node | undefined; name: string },
): string | undefined {
  if (!type) {
    addMember(move, literal, defaultType)
    return 'ModularAccountV2'
  }
  const text = readText(type)
  if (text === undefined)
    move.leave(
      type,
      `${name}: the type is not written out here; a LightAccount of 4.x needs accountParams: { version: 'v2.0.0' }`,
    )
  return text
}

/** Removes `mode: 'default'` of a ModularAccountV2, which is Latchkey's default. Keeps `7702`. */
function removeMode(move: Move, members: ReadonlyMap<string, Node>) {
  const value = readMember(members, 'accountParams')
  const mode = readMembers(value)?.get('mode')
  if (value && mode && readText(child(mode, 'value')) === 'default') removeMember(move, value, mode)
}

function addVersion(move: Move, { literal, members, call, name }: Literal & { call: Node; name: string }) {
  const parameters = members.get('accountParams')
  if (!parameters) return addMember(move, literal, "accountParams: { version: 'v2.0.0' }")
  const value = readMember(members, 'accountParams')
  const own = readMembers(value)
  if (own?.has('version')) return
  if (value && own && !hasSpread(value)) return addMember(move, value, "version: 'v2.0.0'")
  move.leave(call, `${name}: accountParams is not written out here; it needs version: 'v2.0.0' unless it names another`)
}

/** Rewrites the parameters of standalone clients to those of 3.14, which Latchkey supports. */
function moveClientCall(move: Move, call: Node, moved: Set<Node>) {
  const argument = literalArgument(call)
  if (!argument)
    return move.leave(
      call,
      'the parameters are not written out here: give `apiKey` and `gasManagerConfig` where they have `transport` and `policyId`',
    )
  movePolicy(move, argument.members)
  moveConnection(move, argument, moved)
}

function movePolicy(move: Move, members: Map<string, Node>) {
  const policy = members.get('policyId')
  if (!policy) return
  const text = textAt(move, child(policy, 'value') ?? policy)
  move.edit.overwrite(
    policy.start,
    policy.end,
    `gasManagerConfig: { policyId${text === 'policyId' ? '' : `: ${text}`} }`,
  )
  members.delete('policyId')
}

function nameVersion(move: Move, call: Node, name: string) {
  const argument = literalArgument(call)
  if (!argument)
    return move.leave(call, `${name}: it needs version: 'v2.0.0', the default of 4.x, unless it names another`)
  const { literal, members } = argument
  if (!members.has('version')) addMember(move, literal, "version: 'v2.0.0'")
  if (name === 'createLightAccount' && transportCall(move, members))
    move.leave(members.get('transport') ?? call, 'an account reads by a transport of viem: http(url)')
}

/** Rewrites a separate transport: `const transport = alchemy({ apiKey })` becomes the connection. */
function moveTransports(move: Move, moved: ReadonlySet<Node>) {
  walk(move.source.program, (node, parents) => {
    const local = readName(node)
    const parent = parents.at(-1)
    if (local === undefined || move.bindings.get(local)?.name !== 'alchemy' || parent?.type === 'ImportSpecifier')
      return
    const isCall = parent?.type === 'CallExpression' && child(parent, 'callee') === node
    if (isCall && parent && moved.has(parent)) return
    const holder = parents.at(-2)
    if (isCall && parent && holder?.type === 'VariableDeclarator') {
      const argument = nodes(parent, 'arguments')[0]
      checkConnection(move, parent)
      return move.edit.overwrite(parent.start, parent.end, argument ? textAt(move, argument) : '{}')
    }
    move.kept.add(local)
    move.leave(node, 'connections are members here: apiKey, jwt or rpcUrl')
  })
}

/** Rewrites `authenticate({ type: 'otp', otpCode })` to `authenticate({ type: 'email', code })`. */
function moveCodes(move: Move) {
  walk(move.source.program, (node, parents) => {
    const members = node.type === 'ObjectExpression' ? readMembers(node) : undefined
    const type = readMember(members, 'type')
    const code = members?.get('otpCode')
    const parent = parents.at(-1)
    if (!members || !type || parent?.type !== 'CallExpression') return
    if (readText(type) === 'otp' && code) {
      const key = child(code, 'key')
      const quote = textAt(move, type).slice(0, 1)
      move.edit.overwrite(type.start, type.end, `${quote}email${quote}`)
      if (code.shorthand === true) move.edit.overwrite(code.start, code.end, `code: ${readName(key) ?? ''}`)
      else if (key) move.edit.overwrite(key.start, key.end, 'code')
    }
    const mode = readText(type) === 'email' ? members.get('emailMode') : undefined
    if (mode) removeMember(move, node, mode)
  })
}
