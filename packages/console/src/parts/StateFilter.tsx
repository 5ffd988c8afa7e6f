import { setParameter } from '../places.ts'

/** The parameter `state` of the place: one of these, or any. */
export function StateFilter({ value, states }: { value: string; states: readonly string[] }) {
  return (
    <label className="field">
      State
      <select value={value} onChange={(event) => setParameter('state', event.target.value)}>
        <option value="">any</option>
        {states.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
