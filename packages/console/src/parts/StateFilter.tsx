import { Field } from '@latchkey/ui/Field'
import { toSentenceCase } from '../format.ts'
import { setParameter, usePath } from '../places.ts'

type Props = { states: readonly string[]; label?: string }

/** Selects the URL parameter `state`: one of the given states, or any. */
export const StateFilter = ({ states, label = 'State' }: Props) => (
  <ParameterChoice name="state" label={label} values={states} isWords />
)

type ChoiceProps = {
  name: string
  label: string
  values: readonly string[]
  isWords?: boolean
}

/** Selects a URL parameter: one of the given values, or any. Also offers the URL's current value. */
export function ParameterChoice({ name, label, values, isWords = false }: ChoiceProps) {
  const value = usePath().searchParams.get(name) ?? ''
  const all = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => setParameter(name, event.target.value)}>
        <option value="">Any</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {isWords ? toSentenceCase(one) : one}
          </option>
        ))}
      </select>
    </Field>
  )
}
