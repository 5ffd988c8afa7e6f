import { Address } from '@latchkey/ui/Address'
import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation } from '@tanstack/react-query'
import { useAccount, useExportAccount, useOwners } from 'latchkey/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { Address as AddressValue } from 'viem'
import { Failure } from '../parts/Failure.tsx'
import type { Kind } from '../state/account.ts'
import { saveDescriptor } from '../state/descriptor.ts'

const params = { iframeContainerId: 'wallet-export' }

type ExportCardProps = { kind: Kind; demo: AddressValue; isPasskey: boolean; ownerKey: string | undefined }

/** Shows the secret in a frame of another origin. Hiding the secret removes the frame. */
export function ExportCard({ kind, demo, isPasskey, ownerKey }: ExportCardProps) {
  const [isWanted, setIsWanted] = useState(false)
  const { exportAccount, isExported, isShownByMail, isExporting, error, ExportAccountComponent } = useExportAccount({
    params,
  })
  const secret = isPasskey ? 'private key' : 'recovery phrase'

  const show = () => {
    // The container must be in the document before the frame is added.
    flushSync(() => setIsWanted(true))
    exportAccount()
  }
  const isShown = isWanted && isExported

  return (
    <Card
      className="export"
      title="Take your keys with you"
      aside={
        <Button look="small" isBusy={isExporting} onClick={isShown ? () => setIsWanted(false) : show}>
          {isShown ? 'Hide' : 'Export wallet'}
        </Button>
      }
    >
      <p className="sub" role="status">
        {isShown && `Your ${secret} is below, in an area this app cannot read.`}
        {isShownByMail && `Your ${secret} was shown on the page from your email.`}
        {!isShown && !isShownByMail && `Your ${secret} appears outside this app, which cannot read it.`}
      </p>
      {ownerKey && (
        <p className="sub owner-key">
          Owner key <Address address={ownerKey} label="Owner key" />
        </p>
      )}
      {error && isWanted && <Failure title="Could not export the wallet" error={error} />}
      {isWanted && <ExportAccountComponent className="frame" isExported={isExported} />}
      <Descriptor kind={kind} demo={demo} />
    </Card>
  )
}

/** Offers the file for `latchkey-dev exit`. With this file, the key's owner can move all assets without this wallet. */
function Descriptor({ kind, demo }: Pick<ExportCardProps, 'kind' | 'demo'>) {
  const { account } = useAccount(kind)
  const { chains } = useOwners(kind)
  const here = chains?.find(({ chainId }) => chainId === account?.client.chain?.id)
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: saveDescriptor })
  return (
    <>
      <p className="sub">Also download your account file. You need both to leave.</p>
      <div className="actions">
        <Button
          look="small"
          isBusy={isPending}
          isBlocked={!account}
          onClick={() => account && mutate({ account, demo, owners: here?.owners })}
        >
          Download account file
        </Button>
      </div>
      <p className="sub" role="status">
        {isSuccess && 'Downloaded. Keep it with your key. Download it again after you add a key.'}
      </p>
      {error && <Failure title="Could not create the account file" error={error} />}
    </>
  )
}
