import { useImportAccount } from 'latchkey/react'
import type { Address } from 'viem'
import { Button } from '../parts/Button.tsx'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'

const params = { iframeContainerId: 'wallet-import' }

/** The user types a secret into a frame of another origin, which seals it for the key service. */
export function ImportCard() {
  const { openImport, isOpening, isOpen, isSubmitting, isRefused, isDeclined, addresses, error, ...rest } =
    useImportAccount({ params })
  const { submitImport, closeImport, ImportAccountComponent } = rest

  return (
    <section className="card import" aria-labelledby="import">
      <h2 id="import">Bring keys of your own</h2>
      <p className="sub" role="status">
        {isOpen
          ? 'Type it into the frame below, which this page cannot read.'
          : addresses
            ? 'Imported. Kept beside the key of this wallet, and listed here.'
            : 'Typed into an isolated frame and kept beside the key of this wallet. This page never sees them.'}
      </p>
      {error && <Failure title="Could not import" error={error} />}
      {addresses && <Imported addresses={addresses} />}
      <ImportAccountComponent isOpen={isOpen} />
      {isRefused && (
        <p className="hint" role="alert">
          {isDeclined ? 'You declined it in the frame, and nothing was taken.' : 'Not taken. The frame says why.'}
        </p>
      )}
      {isOpen ? (
        <div className="actions" key="open">
          <Button look="primary" isBusy={isSubmitting} onPress={submitImport}>
            Import
          </Button>
          <Button isBlocked={isSubmitting} onPress={closeImport}>
            Cancel
          </Button>
        </div>
      ) : (
        <div className="actions" key="closed">
          <Button isBlocked={isOpening} onPress={() => openImport({ secret: 'phrase' })}>
            Import a seed phrase
          </Button>
          <Button isBlocked={isOpening} onPress={() => openImport({ secret: 'key' })}>
            Import a private key
          </Button>
        </div>
      )}
    </section>
  )
}

function Imported({ addresses }: { addresses: readonly Address[] }) {
  return (
    <ul className="list" aria-label="Imported">
      {addresses.map((address) => (
        <li key={address}>
          <span className="icon" aria-hidden="true">
            <KeyIcon />
          </span>
          <div>
            <span>Your key</span>
            <span className="mono">{address}</span>
          </div>
          <span className="pill">Imported</span>
        </li>
      ))}
    </ul>
  )
}
