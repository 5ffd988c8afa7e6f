import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { configKey } from '../api/queries.ts'
import { signIn } from '../api/signIn.ts'
import { Failure } from '../parts/Notice.tsx'

/** `isEnded`: the session ended during work, which continues after the sign-in. */
export function SignIn({ isEnded }: { isEnded: boolean }) {
  const client = useQueryClient()
  const button = useRef<HTMLButtonElement>(null)
  const begin = useMutation({
    mutationFn: signIn,
    async onSuccess() {
      await client.invalidateQueries({ queryKey: configKey })
      await client.invalidateQueries()
    },
  })
  useEffect(() => {
    document.title = 'Sign in · Latchkey console'
    button.current?.focus()
  }, [])
  return (
    <main className="alone">
      <Brand />
      <Card title="Sign in">
        <div className="inset">
          {isEnded && (
            <p className="notice warn" role="status">
              Your session ended. Sign in again to continue where you left off.
            </p>
          )}
          <p>Sign in with the passkey you created from your invitation.</p>
          {begin.error && <Failure error={begin.error} />}
          <Button ref={button} look="primary" isBusy={begin.isPending} onClick={() => begin.mutate()}>
            {begin.isPending ? 'Waiting for your passkey…' : 'Sign in with a passkey'}
          </Button>
          <p className="quiet">
            No passkey, or lost it? Ask an admin with server access to run <code>latchkey-server operators invite</code>
            .
          </p>
        </div>
      </Card>
    </main>
  )
}

export const Brand = () => (
  <h1 className="brand">
    <img src="/icon.svg" alt="" width="20" height="20" />
    Latchkey console
  </h1>
)
