import { setParameter } from '../places.ts'

type Props = { value: string; states: readonly string[]; label?: string }

/** The parameter `state` of the place: one of these, or any. */
export function StateFilter({ value, states, label = 'State' }: Props) {
  return (
    <label className="field">
      {label}
      <select value={value} onChange={(event) => setParameter('state', event.target.value)}>
        <option value="">any</option>
        {states.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
