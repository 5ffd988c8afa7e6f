/**
 * `ceil(baseFee × 1.5) + tip`, wei: room for the base fee to rise for about three full blocks (EIP-1559 raises it by
 * at most an eighth a block).
 */
export function maxFeePerGas(baseFee: bigint, tip: bigint): bigint {
  return (baseFee * 3n + 1n) / 2n + tip
}
