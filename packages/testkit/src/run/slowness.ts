import { createHash } from 'node:crypto'

/** Milliseconds that the work of {@link measureSlowness} takes on the machine that the budgets were set on. */
const referenceMs = 100

/**
 * Returns how many times slower this machine is now than the one that the time budgets were set on: from 1 to 6. The
 * environment variable `LATCHKEY_TEST_SLOWNESS` sets it; otherwise it is measured once, and set for all workers of a run.
 */
export function slowness(): number {
  const given = Number(process.env.LATCHKEY_TEST_SLOWNESS)
  if (given >= 1) return given
  const factor = Math.min(6, Math.max(1, measureSlowness() / referenceMs))
  process.env.LATCHKEY_TEST_SLOWNESS = factor.toFixed(2)
  return factor
}

/** Wall-clock milliseconds of a fixed amount of hashing; the work of other programs counts, as it slows the tests too. */
function measureSlowness(): number {
  const began = performance.now()
  let digest = Buffer.alloc(64 * 1024)
  for (let round = 0; round < 1_200; round++) {
    const hash = createHash('sha256').update(digest).digest()
    digest = Buffer.concat([hash, digest.subarray(32)])
  }
  return performance.now() - began
}
