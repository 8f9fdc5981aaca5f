import { Redirect, useRoute, useSearch } from 'wouter';
import { usePlace } from '../session.ts';
import { MovementList, PeopleList } from './lists.tsx';
import { ReportPage } from './report-page.tsx';
import './reports.css';
import { TABS } from './specs.ts';

/** The report that the address names, or the list of what one of its figures is made of. */
export default function ReportsPage() {
  const [, params] = useRoute('/:slug/reports/:name?');
  const { path } = usePlace();
  const query = useSearch();
  const name = params?.name;
  if (name === 'movements') return <MovementList key={query} />;
  if (name === 'people') return <PeopleList key={query} />;
  const report = TABS.find((one) => one === name);
  return report === undefined ? (
    <Redirect to={path('reports', 'points')} replace />
  ) : (
    <ReportPage name={report} />
  );
}
