import { toAge, toTime } from '../format.ts'

/** Shows the age of a time, and the time itself on hover. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={toTime(at)}>
    {toAge(at)}
  </time>
)
