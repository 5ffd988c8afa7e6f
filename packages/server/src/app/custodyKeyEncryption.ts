import type { KeyEncryption } from '../keys/keyEncryption.ts'
import { openKeyEncryption } from '../keys/openKeyEncryption.ts'
import { metrics } from '../platform/observability/metrics.ts'
import { inSpan } from '../platform/observability/tracing.ts'
import type { CustodyOptions } from './options.ts'

/**
 * Opens the key encryption of custody's options.
 *
 * @throws `CONFIG_INVALID`.
 */
export function custodyKeyEncryption(
  custody: Pick<CustodyOptions, 'keyEncryption' | 'previousKeyEncryption' | 'mode'>,
): KeyEncryption {
  const { keyEncryption, previousKeyEncryption, mode = 'production' } = custody
  return measured(openKeyEncryption({ current: keyEncryption, previous: previousKeyEncryption, mode }))
}

function measured(inner: KeyEncryption): KeyEncryption {
  async function count<result>(call: 'wrap' | 'unwrap', run: () => Promise<result>): Promise<result> {
    let outcome = 'failed'
    try {
      const result = await inSpan(`key encryption ${call}`, { kind: 'CLIENT', isPart: true }, run)
      outcome = 'ok'
      return result
    } finally {
      metrics.keyEncryption.inc({ call, outcome })
    }
  }
  return {
    wrap: (dek, aad) => count('wrap', () => inner.wrap(dek, aad)),
    unwrap: (wrapped, aad) => count('unwrap', () => inner.unwrap(wrapped, aad)),
    owns: (wrapped) => inner.owns(wrapped),
    isCurrent: (wrapped) => inner.isCurrent(wrapped),
  }
}
