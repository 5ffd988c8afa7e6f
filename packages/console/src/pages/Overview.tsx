import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import type { AdminFigures, AdminOverview } from 'latchkey-protocol/admin'
import { useMemo, useState } from 'react'
import { type Step, useLiveOperations, useOperations, useOverview } from '../api/queries.ts'
import { toCount, toDuration, toEther, toTime } from '../format.ts'
import { Bars } from '../parts/Bars.tsx'
import { Figure } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { Table } from '../parts/Table.tsx'
import { MailCard } from './Inbox.tsx'
import { LiveMark, operationColumns } from './Operations.tsx'

/** Omits columns, since fewer fit next to the inbox. */
const shownColumns = operationColumns.filter(({ id }) => id !== 'sender' && id !== 'at')
const shownRows = 8

export function Overview({ projectId, isDevnet }: { projectId: string; isDevnet: boolean }) {
  const isLive = useLiveOperations(projectId)
  const [step, setStep] = useState<Step>('hour')
  const list = useOperations({ projectId })
  const overview = useOverview(projectId, step)
  const newest = list.data?.pages[0]?.items.slice(0, shownRows) ?? []
  return (
    <>
      <Field className="top" label="Period">
        <select value={step} onChange={(event) => setStep(event.target.value as Step)}>
          <option value="hour">Last 24 hours</option>
          <option value="day">Last 30 days</option>
        </select>
      </Field>
      {overview.error ? <Failure error={overview.error} onRetry={() => void overview.refetch()} /> : null}
      {overview.data ? <Figures overview={overview.data} /> : overview.isPending && <Waiting />}
      <div className="columns">
        <Card title="Operations" aside={<LiveMark isLive={isLive} />}>
          <Table
            label="Operations"
            list={{ ...list, hasNextPage: false, data: list.data && { pages: [{ items: newest }] } }}
            columns={shownColumns}
            toKey={({ userOpHash }) => userOpHash}
            empty="No operations yet. Sign in to the wallet and press Mint."
          />
        </Card>
        {isDevnet && <MailCard />}
        {overview.data && <Courses overview={overview.data} />}
        {overview.data && <Refusals totals={overview.data.totals} />}
      </div>
    </>
  )
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const countOperations = ({ operations }: AdminFigures) => sum(Object.values(operations))
const toPercent = (rate: number) => `${(rate * 100).toFixed(1)} %`

function Figures({ overview: { totals, countedFrom } }: { overview: AdminOverview }) {
  const { users, newUsers, inclusionRate, preparedToIncluded, sponsored } = totals
  return (
    <>
      <dl className="figures">
        <Figure value={toCount(users)} name={`Users, ${toCount(newUsers)} new`} />
        <Figure value={toCount(countOperations(totals))} name="Operations" />
        <Figure value={inclusionRate === null ? '–' : toPercent(inclusionRate)} name="Included" />
        <Figure
          value={preparedToIncluded ? toDuration(preparedToIncluded.medianMs) : '–'}
          name="Median time to inclusion"
        />
        {/* Amounts in the coins of different chains cannot be added. */}
        {sponsored.length === 0 && <Figure value={toEther(0n)} name="Gas sponsored" />}
        {sponsored.map(({ chainId, wei }) => (
          <Figure
            key={chainId}
            value={toEther(BigInt(wei), 3)}
            name={sponsored.length > 1 ? `Gas sponsored, chain ${chainId}` : 'Gas sponsored'}
          />
        ))}
      </dl>
      {countedFrom && <p className="quiet">Too many to count: figures start at {toTime(countedFrom)}.</p>}
    </>
  )
}

const countRefusals = ({ refusals }: AdminFigures) => sum(refusals.map(({ count }) => count))
const stepSeconds = { hour: 3_600, day: 86_400 } as const

/** A metric over time: `read` is null for a step without data. */
type Course = { name: string; read(figures: AdminFigures): number | null; toText(value: number): string }

const whole = (value: number) => (Number.isInteger(value) ? toCount(value) : '')
const courses: readonly Course[] = [
  { name: 'Operations', read: countOperations, toText: whole },
  { name: 'Included', read: ({ inclusionRate }) => inclusionRate, toText: toPercent },
  {
    name: 'Median time to inclusion',
    read: ({ preparedToIncluded }) => preparedToIncluded?.medianMs ?? null,
    toText: toDuration,
  },
  { name: 'New users', read: ({ newUsers }) => newUsers, toText: whole },
  { name: 'Refused', read: countRefusals, toText: whole },
]

/** Shows each chain's coin separately. */
const toGasCourse = (chainId: number): Course => ({
  name: `Gas sponsored, chain ${chainId}`,
  read: ({ sponsored }) => Number(sponsored.find((one) => one.chainId === chainId)?.wei ?? 0) / 1e18,
  toText: (value) => toEther(BigInt(Math.round(value * 1e18))),
})

/** Shows a chart of the chosen metric and a table of all metrics. */
function Courses({ overview: { series, step, totals } }: { overview: AdminOverview }) {
  const [name, setName] = useState('Operations')
  const { sponsored } = totals
  const all = useMemo(() => [...courses, ...sponsored.map(({ chainId }) => toGasCourse(chainId))], [sponsored])
  const course = all.find((one) => one.name === name) ?? (all[0] as Course)
  const times = useMemo(() => series.map(({ at }) => at), [series])
  const values = useMemo(() => series.map((figures) => course.read(figures)), [series, course])
  const choice = (
    <select aria-label="Chart" value={course.name} onChange={(event) => setName(event.target.value)}>
      {all.map((one) => (
        <option key={one.name}>{one.name}</option>
      ))}
    </select>
  )
  return (
    <Card title={step === 'hour' ? 'Per hour' : 'Per day'} aside={choice}>
      {values.every((value) => !value) ? (
        <Empty>None in this period.</Empty>
      ) : (
        <Bars
          label={`${course.name} per ${step}`}
          times={times}
          values={values}
          stepSeconds={stepSeconds[step]}
          count={series.length}
          toText={course.toText}
        />
      )}
      <CourseTable series={series} courses={all} />
    </Card>
  )
}

function CourseTable({ series, courses: all }: Pick<AdminOverview, 'series'> & { courses: readonly Course[] }) {
  const rows = series.filter((figures) => all.some(({ read }) => read(figures)))
  if (rows.length === 0) return null
  return (
    <details className="inset">
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="scroll" aria-label="Rows: figures over time" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              {all.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((figures) => (
              <tr key={figures.at}>
                <td data-label="From">{toTime(figures.at)}</td>
                {all.map(({ name, read, toText }) => (
                  <td key={name} data-label={name}>
                    {read(figures) === null ? '–' : toText(read(figures) ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

function Refusals({ totals: { refusals } }: { totals: AdminFigures }) {
  return (
    <Card title="Requests refused by the gateway">
      {refusals.length === 0 ? (
        <Empty>No refused requests.</Empty>
      ) : (
        <dl className="facts">
          {refusals.map(({ code, count }) => (
            <div key={code}>
              <dt>{toCount(count)}</dt>
              <dd>{code}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}
