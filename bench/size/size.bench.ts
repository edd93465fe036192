import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import type { Bench } from '../bench.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureOrganization } from './organization.ts';
import { bytesTable, requestsTable } from './report.ts';

const fullSize = { records: 10_000_000, deliveries: 20_000 };
const quickSize = { records: 100_000, deliveries: 2_000 };

/** Measures the size of rows on disk, and requests in an organization of ten million records. */
export const sizeBench: Bench = async ({ isQuick }) => {
  const size = isQuick ? quickSize : fullSize;
  await using load = new LoadProcess();
  const deliveries = await measureDeliveries(size.deliveries);
  const organization = await measureOrganization({ records: size.records, load, isQuick });
  const machine = describeMachine(deliveries.postgresVersion);
  const tables = [bytesTable([...deliveries.tables, ...organization.tables]), requestsTable(organization)];
  return { text: [machine, ...tables].join('\n\n'), figures: { machine, size, deliveries, organization } };
};
