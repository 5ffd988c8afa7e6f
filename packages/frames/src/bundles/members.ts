import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'

export function parseObject(text: string, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new FrameError(`${what} is not JSON`, { cause })
  }
  if (typeof value !== 'object' || value === null) throw new FrameError(`${what} is not a JSON object`)
  return value as Record<string, unknown>
}

export function textMember(object: Record<string, unknown>, name: string, what: string): string {
  const value = object[name]
  if (typeof value !== 'string' || value === '') throw new FrameError(`${what} has no ${name}`)
  return value
}

export function hexMember(object: Record<string, unknown>, name: string, what: string): Uint8Array<ArrayBuffer> {
  const text = textMember(object, name, what)
  try {
    return new Uint8Array(hex.decode(text))
  } catch (cause) {
    throw new FrameError(`${name} of ${what} is not hex`, { cause })
  }
}
