import { readFileSync } from 'node:fs'

type Shape = string | Map<string, { type: string; isRequired: boolean }>

/** Parses the generated types in a folder of `@turnkey/http`, which have one member per line. */
export function readTypes(folder: string) {
  const url = new URL(
    `./node_modules/${folder}/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts`,
    import.meta.url,
  )
  const text = readFileSync(url, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const shapes = readShapes(text)

  function readShape(path: string, direction: 'request' | 'response'): string {
    const operation = new RegExp(`"${path}": \\{\\s*post: operations\\["(\\w+)"\\]`).exec(text)?.[1]
    const body = new RegExp(`^ {4}${operation}: \\{[\\s\\S]*?^ {4}\\};`, 'm').exec(text)?.[0] ?? ''
    const name = direction === 'request' ? /body: definitions\["(\w+)"\]/ : /200: \{\s*schema: definitions\["(\w+)"\]/
    const found = name.exec(body)?.[1]
    if (!operation || !found) throw new TypeError(`The types have no ${direction} of ${path}.`)
    return `definitions["${found}"]`
  }

  function check(type: string, value: unknown, place: string, into: { wrong: string[]; unknown: string[] }): void {
    const item = /^(.*)\[\]$/.exec(type)?.[1]
    if (item !== undefined) {
      if (!Array.isArray(value)) into.wrong.push(`${place} is no list`)
      else for (const [index, each] of value.entries()) check(item, each, `${place}.${index}`, into)
      return
    }
    const name = /^definitions\["(\w+)"\]$/.exec(type)?.[1]
    const shape = name === undefined ? type : shapes.get(name)
    if (shape === undefined) throw new TypeError(`The types have no ${type}.`)
    if (typeof shape === 'string') {
      if (!matchesType(shape, value))
        into.wrong.push(`${place} is ${JSON.stringify(value)}, not ${shape.slice(0, 100)}`)
      return
    }
    if (typeof value !== 'object' || value === null) return void into.wrong.push(`${place} is no object`)
    for (const [member, { type: of, isRequired }] of shape) {
      const content = (value as Record<string, unknown>)[member]
      if (content !== undefined) check(of, content, `${place}.${member}`, into)
      else if (isRequired) into.wrong.push(`${place}.${member} is missing`)
    }
    for (const member of Object.keys(value)) if (!shape.has(member)) into.unknown.push(`${name}.${member}`)
  }

  return {
    /** Returns the activity type that the client sends to a path, or undefined for queries. */
    findType(path: string) {
      const name = /"(\w+)"/.exec(readShape(path, 'request'))?.[1] ?? ''
      const shape = shapes.get(name)
      return typeof shape === 'string' ? undefined : /^"(\w+)"$/.exec(shape?.get('type')?.type ?? '')?.[1]
    },
    /** Returns the places where a body does not match its type, and the members that the type lacks. */
    check(path: string, direction: 'request' | 'response', value: unknown) {
      const into: { wrong: string[]; unknown: string[] } = { wrong: [], unknown: [] }
      check(readShape(path, direction), value, direction, into)
      return into
    },
  }
}

function matchesType(type: string, value: unknown): boolean {
  if (type === 'string' || type === 'number' || type === 'boolean') return typeof value === type
  if (/^"[^"]*"(?: \| "[^"]*")*$/.test(type)) return type.split(' | ').includes(JSON.stringify(value))
  throw new TypeError(`Types such as ${type.slice(0, 100)} are not understood.`)
}

function readShapes(text: string): Map<string, Shape> {
  const shapes = new Map<string, Shape>()
  const block = /^export type definitions = \{$([\s\S]*?)^\};$/m.exec(text)?.[1] ?? ''
  for (const [, name = '', alias, members = ''] of block.matchAll(
    /^ {4}(\w+): (?:([^{\n]+);$|\{$([\s\S]*?)^ {4}\};$)/gm,
  )) {
    const shape = new Map<string, { type: string; isRequired: boolean }>()
    for (const [, member = '', optional, type = ''] of members.matchAll(/^ {8}"?(@?\w+)"?(\?)?: ([^{\n]+);$/gm))
      shape.set(member, { type, isRequired: optional === undefined })
    shapes.set(name, alias ?? shape)
  }
  return shapes
}
