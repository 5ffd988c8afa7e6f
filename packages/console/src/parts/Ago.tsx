import { toAge, toTime } from '../format.ts'

export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={toTime(at)}>
    {toAge(at)}
  </time>
)
