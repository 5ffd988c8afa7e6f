import { useExportAccount } from 'latchkey/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../parts/Button.tsx'
import { Failure } from '../parts/Failure.tsx'

const params = { iframeContainerId: 'wallet-export' }

/** The secret is shown inside a frame of another origin. Hiding removes the frame. */
export function ExportCard({ isPasskey }: { isPasskey: boolean }) {
  const [isWanted, setIsWanted] = useState(false)
  const { exportAccount, isExported, isExporting, error, ExportAccountComponent } = useExportAccount({ params })
  const secret = isPasskey ? 'private key' : 'seed phrase'

  const show = () => {
    // The container must be on the page before the frame is added to it.
    flushSync(() => setIsWanted(true))
    exportAccount()
  }
  const isShown = isWanted && isExported

  return (
    <section className="card export" aria-labelledby="export">
      <h2 id="export">
        Take your keys with you
        {isShown ? (
          <button type="button" className="button small" onClick={() => setIsWanted(false)}>
            Hide
          </button>
        ) : (
          <Button look="small" isBusy={isExporting} onPress={show}>
            Export wallet
          </Button>
        )}
      </h2>
      <p className="sub">
        {isShown
          ? `Your ${secret} is in the frame below, which this page cannot read.`
          : 'Shown once, inside an isolated frame. This page never sees it.'}
      </p>
      {error && isWanted && <Failure title="Could not export the wallet" error={error} />}
      {isWanted && <ExportAccountComponent className="frame" isExported={isExported} />}
    </section>
  )
}
