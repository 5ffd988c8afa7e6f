import { Field } from '@latchkey/ui/Field'
import { setParameter, usePath } from '../places.ts'

type Props = { states: readonly string[]; label?: string }

/** The parameter `state` of the place: one of these, or any. */
export const StateFilter = ({ states, label = 'State' }: Props) => (
  <ParameterChoice name="state" label={label} values={states} />
)

type ChoiceProps = { name: string; label: string; values: readonly string[] }

/** A parameter of the place: one of these values, or any. What the address bar names is offered, too. */
export function ParameterChoice({ name, label, values }: ChoiceProps) {
  const value = usePath().searchParams.get(name) ?? ''
  const all = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => setParameter(name, event.target.value)}>
        <option value="">any</option>
        {all.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </Field>
  )
}
