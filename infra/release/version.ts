const form = /^(\d+)\.(\d+)\.(\d+)$/;

/** Throws if the version does not have the form `1.2.3` or is older than the current one. */
export function checkVersion(version: string, present: string): void {
  const [wanted, current] = [version, present].map((text) => form.exec(text)?.slice(1).map(Number));
  if (!wanted || !current) throw new Error(`The version must be like 1.2.3, not "${version}".`);
  const at = wanted.findIndex((number, index) => number !== current[index]);
  if (at >= 0 && wanted[at]! < current[at]!) throw new Error(`${version} is older than ${present}.`);
}

/** Sets the version in a package.json, and keeps the rest of the text. */
export function setPackageVersion(manifest: string, version: string): string {
  return manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);
}

/** Sets the version that the image has by default. */
export function setImageVersion(dockerfile: string, version: string): string {
  return dockerfile.replace(/^ARG VERSION=.*$/m, `ARG VERSION=${version}`);
}
