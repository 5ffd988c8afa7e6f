import { toAge, toTime } from '../format.ts'

/** How long ago a moment is; the moment itself for those who point at it. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={toTime(at)}>
    {toAge(at)}
  </time>
)
