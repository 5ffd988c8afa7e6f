import { createHash } from 'node:crypto'

/** Duration of {@link measureSlowness} on the machine for which the time budgets were set. */
const referenceMs = 100

/**
 * Returns how many times slower this machine is than the machine of the time budgets, from 1 to 6. Reads
 * `LATCHKEY_TEST_SLOWNESS`, or measures once per run.
 */
export function slowness(): number {
  const given = Number(process.env.LATCHKEY_TEST_SLOWNESS)
  if (given >= 1) return given
  const factor = Math.min(6, Math.max(1, measureSlowness() / referenceMs))
  process.env.LATCHKEY_TEST_SLOWNESS = factor.toFixed(2)
  return factor
}

/** Measures the wall-clock time of a fixed amount of hashing, which includes the load by other programs. */
function measureSlowness(): number {
  const began = performance.now()
  let digest = Buffer.alloc(64 * 1024)
  for (let round = 0; round < 1_200; round++) {
    const hash = createHash('sha256').update(digest).digest()
    digest = Buffer.concat([hash, digest.subarray(32)])
  }
  return performance.now() - began
}
