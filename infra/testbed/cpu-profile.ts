import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { markdownTable } from './markdown.ts';

/** The part of the output of `node --cpu-prof` that is read. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

const root = `${pathToFileURL(resolve(import.meta.dirname, '../..')).href}/`;
const functionsShown = 30;
const packagesShown = 15;

/**
 * Runs a process with the flags that profile it. Returns the title that `run` returned, and below it the functions in
 * which the process spent its time. `run` must return after the process has ended.
 */
export async function profiled(folder: string, run: (nodeOptions: string[]) => Promise<string>): Promise<string> {
  const profiles = join(folder, 'profile');
  const title = await run(['--cpu-prof', `--cpu-prof-dir=${profiles}`]);
  const [file] = await readdir(profiles);
  return `${title}\n\n${summarizeProfile(JSON.parse(await readFile(join(profiles, file!), 'utf8')) as CpuProfile)}`;
}

/** Returns the functions and packages with the most self time, as shares of the time that was not idle. */
function summarizeProfile(profile: CpuProfile): string {
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  let busy = 0;
  for (const [i, id] of profile.samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (functionName === '(idle)') continue;
    const time = profile.timeDeltas[i]!;
    const place = url === '' ? '' : ` ${shortened(url)}:${lineNumber + 1}`;
    add(byFunction, `${functionName || '(anonymous)'}${place}`, time);
    add(
      byPackage,
      url === '' ? (functionName.startsWith('(') ? functionName : '(native)') : packageOf(shortened(url)),
      time,
    );
    busy += time;
  }
  return `${table('function', byFunction, busy, functionsShown)}\n\n${table('package', byPackage, busy, packagesShown)}`;
}

function add(sums: Map<string, number>, name: string, time: number): void {
  sums.set(name, (sums.get(name) ?? 0) + time);
}

function table(title: string, sums: Map<string, number>, total: number, shown: number): string {
  const top = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, shown);
  return markdownTable(
    [`own time by ${title}`, '%'],
    top.map(([name, time]) => [name, ((100 * time) / total).toFixed(1)]),
  );
}

/** Shortens a URL: below node_modules to the package and its file, otherwise to the path in this repository. */
function shortened(url: string): string {
  const at = url.lastIndexOf('/node_modules/');
  return at < 0 ? url.replace(root, '') : url.slice(at + 1);
}

function packageOf(path: string): string {
  if (path.startsWith('node:')) return path.split('/').slice(0, 2).join('/');
  const parts = path.split('/');
  return parts.slice(0, parts[1]?.startsWith('@') ? 3 : 2).join('/');
}
