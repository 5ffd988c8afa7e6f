/** Values JSON has no form for, as tagged objects: `{"__type":"bigint","value":"<decimal>"}`. */
export function replaceTagged(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { __type: 'bigint', value: value.toString() } : value
}

/** The way back; anything else stays as it is. */
export function reviveTagged(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('__type' in value) || !('value' in value)) return value
  const { __type, value: inner } = value
  return __type === 'bigint' && typeof inner === 'string' && /^-?\d+$/.test(inner) ? BigInt(inner) : value
}
