import { z } from 'zod'

/** A node of a JSON Schema, with the messages of what JSON Schema cannot say. */
type Node = {
  type?: string
  properties?: Record<string, Node>
  required?: string[]
  additionalProperties?: boolean | Node
  items?: boolean | Node
  prefixItems?: Node[]
  anyOf?: Node[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  notes?: string[]
}

/** A place of what is sent, whether it is needed, and its rule. */
export type Rule = { place: string; isNeeded: boolean; rule: string }

/** Every place of a schema's input, from its members down. Rules of several members together are of the place that holds them. */
export function listRules(schema: z.ZodType, place = ''): Rule[] {
  return readRules(toNode(schema), place, true)
}

/** The schema as JSON Schema, with the messages of its own checks. */
function toNode(schema: z.ZodType): Node {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      const { checks = [], error } = zodSchema._zod.def
      const said = [...checks.map((check) => check._zod.def.error), error].map((say) =>
        say?.({ code: 'custom' } as never),
      )
      const notes = said.map((one) => (typeof one === 'object' ? one?.message : one)).filter((one) => one !== undefined)
      if (notes.length > 0) Object.assign(jsonSchema, { notes })
    },
  }) as Node
}

function readRules(node: Node, place: string, isNeeded: boolean): Rule[] {
  const forms = node.anyOf?.filter(({ type }) => type !== 'null') ?? []
  // Absent and null are one.
  if (forms.length === 1 && forms[0]) return readRules({ ...forms[0], notes: joinNotes(node, forms[0]) }, place, false)
  const own = { place: place || 'the whole', isNeeded, rule: toRule(node) }
  if (forms.some(hasParts)) {
    const parts = forms.flatMap((form, index) =>
      readRules(form, `${place || 'the whole'} (form ${index + 1})`, isNeeded),
    )
    return [own, ...parts]
  }
  return [own, ...readParts(node, place)]
}

const joinNotes = (...nodes: Node[]) => [...new Set(nodes.flatMap(({ notes = [] }) => notes))]
const hasParts = ({ properties, prefixItems, items }: Node) => Boolean(properties ?? prefixItems ?? items)

function readParts(
  { properties = {}, required = [], prefixItems = [], items, additionalProperties }: Node,
  place: string,
) {
  const dot = place === '' ? '' : `${place}.`
  const parts = Object.entries(properties).flatMap(([name, one]) =>
    readRules(one, `${dot}${name}`, required.includes(name)),
  )
  const places = prefixItems.flatMap((one, index) => readRules(one, `${place}[${index}]`, true))
  const each = typeof items === 'object' ? readRules(items, `${place}[]`, true) : []
  const named = typeof additionalProperties === 'object' ? readRules(additionalProperties, `${dot}*`, true) : []
  return [...parts, ...places, ...each, ...named]
}

/** A rule in words. What a message of the schema says takes the place of its pattern. */
function toRule(node: Node): string {
  const { notes = [], pattern, format, anyOf } = node
  const forms = anyOf?.filter(({ type }) => type !== 'null') ?? []
  const plain = forms.length > 0 && !forms.some(hasParts) ? forms.map(toRule).join(', or ') : ''
  const words = [
    forms.some(hasParts) ? `one of ${forms.length} forms` : plain || toKind(node),
    pattern && format === undefined && notes.length === 0 ? `matches \`${pattern.replaceAll('|', '\\|')}\`` : '',
    ...notes.map((note) => `“${note}”`),
  ]
  return words.filter((word) => word !== '').join('; ')
}

function toKind(node: Node): string {
  const { type, format } = node
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (format === 'uuid') return 'a UUID'
  if (type === 'object') return node.additionalProperties === false ? 'an object without other members' : 'an object'
  if (type === 'array') return `a list${toRange(node.minItems, node.maxItems, 'entries')}`
  if (type === 'string') return `text${toRange(node.minLength, node.maxLength, 'characters')}`
  if (type === 'integer' || type === 'number') {
    const word = type === 'integer' ? 'a whole number' : 'a number'
    const above = node.exclusiveMinimum === undefined ? '' : ` above ${node.exclusiveMinimum}`
    return `${word}${above}${toRange(toBound(node.minimum), toBound(node.maximum), '')}`.trim()
  }
  return type ?? 'any value'
}

/** Bounds that every number of JSON has say nothing. */
const toBound = (value?: number) =>
  value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value

function toRange(from: number | undefined, to: number | undefined, of: string): string {
  if (from === undefined && to === undefined) return ''
  const range = (from ?? 0) === to ? `${to}` : to === undefined ? `at least ${from}` : `${from ?? 0} to ${to}`
  return `, ${range} ${of}`.trimEnd()
}
