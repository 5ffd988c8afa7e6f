import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { TextField } from '@latchkey/ui/Field'
import { useSpendingRules } from 'latchkey/react'
import { type FormEvent, useState } from 'react'
import type { Address } from 'viem'
import { formatAmount, parseAmount } from '../amounts.ts'
import { Failure } from '../parts/Failure.tsx'

type LimitsCardProps = { demo: Address; chainId: number }

/**
 * Sets the amount above which the key service asks the user by e-mail. The limit also applies to scripts in this page.
 */
export function LimitsCard({ demo, chainId }: LimitsCardProps) {
  const { rules, spending, reload, isLoading, setRules, isChanging, error } = useSpendingRules()
  const [amount, setAmount] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const isOurs = (one: { chainId: number; token: string }) =>
    one.chainId === chainId && one.token.toLowerCase() === demo.toLowerCase()
  const limit = rules?.limits.find(isOurs)
  const spent = BigInt(spending?.find(isOurs)?.spent ?? 0)

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const perDay = parseAmount(amount)
    setIsWrong(perDay === null)
    if (perDay === null || isChanging) return
    const others = rules?.limits.filter((one) => !isOurs(one)) ?? []
    setRules({
      limits: [...others, { chainId, token: demo, perDay: String(perDay) }],
      unlisted: rules?.unlisted ?? 'allow',
      recipients: rules?.recipients ?? null,
    })
    setAmount('')
  }

  return (
    <Card className="limits" title="Spending limit">
      <p className="sub" role="status">
        {rules === undefined && 'Payments above your limit wait until you confirm them by email.'}
        {rules !== undefined && !limit && 'You have no limit. Payments are signed without asking.'}
        {limit &&
          `${formatAmount(spent)} of ${formatAmount(BigInt(limit.perDay))} DEMO signed today. Above it, we ask by email.`}
      </p>
      {rules === undefined ? (
        <Button look="small" isBusy={isLoading} onClick={reload}>
          Show my limit
        </Button>
      ) : (
        <form onSubmit={save} noValidate>
          <TextField
            label="Limit a day"
            value={amount}
            placeholder="50 DEMO"
            hint={isWrong ? 'Enter an amount, such as 50.' : null}
            onChange={setAmount}
          />
          <div className="actions">
            <Button look="small" type="submit" isBusy={isChanging}>
              {limit ? 'Change limit' : 'Set limit'}
            </Button>
            {rules && (
              <Button look="small" isBlocked={isChanging} onClick={() => setRules(null)}>
                Remove all limits
              </Button>
            )}
          </div>
        </form>
      )}
      {error && <Failure title="Could not change the limit" error={error} />}
    </Card>
  )
}
