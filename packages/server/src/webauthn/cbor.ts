const maxDepth = 4

/** Values that occur in attestation objects and COSE keys. */
export type Cbor = number | string | boolean | null | Uint8Array | Cbor[] | Map<number | string, Cbor>

export declare namespace decodeCbor {
  type ReturnType = { value: Cbor; length: number }
}

/**
 * Reads one CBOR item from the start of `bytes` (RFC 8949 § 3), in CTAP2's form: definite lengths, no tags, no floats,
 * no duplicate keys. `length` is the number of bytes read. Returns undefined for anything else.
 */
export function decodeCbor(bytes: Uint8Array): decodeCbor.ReturnType | undefined {
  return readItem(bytes, 0, 0)
}

function readItem(bytes: Uint8Array, start: number, depth: number): decodeCbor.ReturnType | undefined {
  const head = readHead(bytes, start)
  if (!head || depth > maxDepth) return undefined
  const { major, argument, end } = head
  if (major === 0) return { value: argument, length: end }
  if (major === 1) return { value: -1 - argument, length: end }
  if (major === 2 || major === 3) return readText(bytes, { major, start: end, end: end + argument })
  if (major === 4) return readArray(bytes, { count: argument, start: end, depth })
  if (major === 5) return readMap(bytes, { count: argument, start: end, depth })
  const simple = major === 7 ? [false, true, null][argument - 20] : undefined
  return simple === undefined ? undefined : { value: simple, length: end }
}

/**
 * Initial byte and argument. Additional information 0 to 23 is the value itself; 24 to 26 mean that one, two or four
 * bytes follow.
 */
function readHead(bytes: Uint8Array, start: number): { major: number; argument: number; end: number } | undefined {
  const first = bytes[start]
  if (first === undefined) return undefined
  const major = first >> 5
  const information = first & 0x1f
  if (information < 24) return { major, argument: information, end: start + 1 }
  const size = [1, 2, 4][information - 24]
  if (size === undefined || start + 1 + size > bytes.length || major === 7) return undefined
  let argument = 0
  for (const byte of bytes.subarray(start + 1, start + 1 + size)) argument = argument * 256 + byte
  return { major, argument, end: start + 1 + size }
}

function readText(
  bytes: Uint8Array,
  { major, start, end }: { major: number; start: number; end: number },
): decodeCbor.ReturnType | undefined {
  if (end > bytes.length) return undefined
  const content = bytes.slice(start, end)
  if (major === 2) return { value: content, length: end }
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(content), length: end }
  } catch {
    return undefined
  }
}

type Container = { count: number; start: number; depth: number }

function readArray(bytes: Uint8Array, { count, start, depth }: Container): decodeCbor.ReturnType | undefined {
  const list: Cbor[] = []
  let length = start
  for (let index = 0; index < count; index++) {
    const item = readItem(bytes, length, depth + 1)
    if (!item) return undefined
    list.push(item.value)
    length = item.length
  }
  return { value: list, length }
}

function readMap(bytes: Uint8Array, { count, start, depth }: Container): decodeCbor.ReturnType | undefined {
  const map = new Map<number | string, Cbor>()
  let length = start
  for (let index = 0; index < count; index++) {
    const key = readItem(bytes, length, depth + 1)
    if (!key || (typeof key.value !== 'number' && typeof key.value !== 'string') || map.has(key.value)) return undefined
    const item = readItem(bytes, key.length, depth + 1)
    if (!item) return undefined
    map.set(key.value, item.value)
    length = item.length
  }
  return { value: map, length }
}
