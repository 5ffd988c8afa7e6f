import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { TextField } from '@latchkey/ui/Field'
import { useState } from 'react'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Failure } from '../parts/Failure.tsx'
import { QrCode } from '../parts/QrCode.tsx'
import { Question } from '../parts/Question.tsx'
import { Row } from '../parts/Row.tsx'
import { useSecondFactor } from '../state/useSecondFactor.ts'

/** Sets up, lists and removes the second factor of sign-ins by e-mail and identity provider. */
export function SecondFactorCard({ isPrompted }: { isPrompted: boolean }) {
  const { factor, setup, recoveryCodes, isBusy, error, ...actions } = useSecondFactor(isPrompted)
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <Card className="second-factor" title="Second factor">
      <p className="sub">
        With an authenticator app, signing in by email or social sign-in also asks for a code of the app. A passkey
        needs no second factor.
      </p>
      {error && <Failure title="That did not work" error={error} />}
      {factor && (
        <ul className="list">
          <Row icon="#" title="Authenticator app" detail={describe(factor.recoveryCodesLeft)}>
            <Button look="small" isBusy={isBusy} onClick={() => setIsLeaving(true)}>
              Remove
            </Button>
          </Row>
        </ul>
      )}
      {factor === null && !setup && (
        <Button look="small" isBusy={isBusy} onClick={actions.begin}>
          Set up an authenticator app
        </Button>
      )}
      {factor === undefined && (
        <Button look="small" isBusy={actions.isLoading} onClick={() => actions.load()}>
          Show
        </Button>
      )}
      {setup && !factor && (
        <SetupForm
          url={setup.multiFactorTotpUrl}
          isBusy={isBusy}
          onCode={(code) => actions.verify(setup.multiFactorId, code)}
          onCancel={actions.cancel}
        />
      )}
      {recoveryCodes && <RecoveryCodes codes={recoveryCodes} />}
      {isLeaving && factor && (
        <Question
          title="Remove the second factor?"
          yes="Remove it"
          no="Keep it"
          onYes={() => actions.remove(factor.multiFactorId)}
          onClose={() => setIsLeaving(false)}
        >
          Your email alone then signs in. We will email you to confirm it.
        </Question>
      )}
    </Card>
  )
}

const describe = (left = 0) => (left === 1 ? '1 recovery code left' : `${left} recovery codes left`)

type SetupFormProps = { url: string; isBusy: boolean; onCode: (code: string) => void; onCancel: () => void }

function SetupForm({ url, isBusy, onCode, onCancel }: SetupFormProps) {
  const [code, setCode] = useState('')
  const secret = new URL(url).searchParams.get('secret') ?? ''
  return (
    <form
      className="address-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && code.trim()) onCode(code.trim())
      }}
    >
      <p className="sub">
        Scan this with your authenticator app, <a href={url}>open the app on this device</a>, or type the key into it.
      </p>
      <QrCode text={url} label="QR code for your authenticator app" />
      <p className="mono">{secret}</p>
      <CopyButton text={secret} label="Copy key" />
      <TextField label="Code of the app" placeholder="123456" value={code} hint={null} isNext onChange={setCode} />
      <div className="buttons">
        <Button look="small" type="submit" isBusy={isBusy}>
          Turn on
        </Button>
        <Button look="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <section aria-label="Recovery codes">
      <p>
        <b>Keep these recovery codes.</b> Each signs you in once without the app. They are not shown again.
      </p>
      <pre className="mono">{codes.join('\n')}</pre>
      <CopyButton text={codes.join('\n')} label="Copy recovery codes" />
    </section>
  )
}
