/** The largest of one or more bigints. `Math.max` takes numbers only. */
export function bigIntMax(first: bigint, ...more: readonly bigint[]): bigint {
  let largest = first
  for (const value of more) if (value > largest) largest = value
  return largest
}
