import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useImportAccount } from 'latchkey/react'
import type { Address } from 'viem'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'

const params = { iframeContainerId: 'wallet-import' }

/** The user types a secret into a frame of another origin, which seals it for the key service. */
export function ImportCard() {
  const { openImport, isOpening, isOpen, isSubmitting, isRefused, isDeclined, addresses, error, ...rest } =
    useImportAccount({ params })
  const { submitImport, closeImport, ImportAccountComponent } = rest

  return (
    <Card className="import" title="Bring keys of your own">
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
          <Button look="primary" isBusy={isSubmitting} onClick={submitImport}>
            Import
          </Button>
          <Button isBlocked={isSubmitting} onClick={closeImport}>
            Cancel
          </Button>
        </div>
      ) : (
        <div className="actions" key="closed">
          <Button isBlocked={isOpening} onClick={() => openImport({ secret: 'phrase' })}>
            Import a seed phrase
          </Button>
          <Button isBlocked={isOpening} onClick={() => openImport({ secret: 'key' })}>
            Import a private key
          </Button>
        </div>
      )}
    </Card>
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
