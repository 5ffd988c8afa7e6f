/** Returns the lower of two integers; `Math.min` takes no bigint. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Returns the higher of two integers; `Math.max` takes no bigint. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
