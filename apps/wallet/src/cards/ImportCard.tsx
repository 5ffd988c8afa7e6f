import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useImportAccount } from 'latchkey/react'
import type { Address } from 'viem'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'

const params = { iframeContainerId: 'wallet-import' }

/** Imports a secret. The user types it into a frame of another origin, which encrypts it for the key service. */
export function ImportCard() {
  const { openImport, isOpening, isOpen, isSubmitting, isRefused, isDeclined, addresses, error, ...rest } =
    useImportAccount({ params })
  const { submitImport, closeImport, ImportAccountComponent } = rest

  return (
    <Card className="import" title="Import a wallet">
      <p className="sub" role="status">
        {isOpen
          ? 'Enter it in the protected area below, which this app cannot read.'
          : isSubmitting
            ? 'You enter it on the page of the email, which this app cannot read.'
            : addresses
              ? 'Imported. The new addresses are listed below.'
              : 'Add the keys of another wallet. You enter them in a protected area that this app cannot read.'}
      </p>
      {error && <Failure title="Could not import" error={error} />}
      {addresses && <Imported addresses={addresses} />}
      <ImportAccountComponent isOpen={isOpen} />
      {isRefused && (
        <p className="hint" role="alert">
          {isDeclined ? 'You declined, so nothing was imported.' : 'Not imported. See the reason above.'}
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
          <Button isBlocked={isOpening || isSubmitting} onClick={() => openImport({ secret: 'phrase' })}>
            Import a recovery phrase
          </Button>
          <Button isBlocked={isOpening || isSubmitting} onClick={() => openImport({ secret: 'key' })}>
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
            <span>Key</span>
            <span className="mono">{address}</span>
          </div>
          <span className="pill">Imported</span>
        </li>
      ))}
    </ul>
  )
}
