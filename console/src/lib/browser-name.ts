const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*Safari\//, 'Safari'],
];
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/** "Chrome 156, Linux" of a User-Agent that says so; else the header itself, and null if there is none. */
export function browserName(userAgent: string | null): string | null {
  if (!userAgent) return null;
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = SYSTEMS.find(([each]) => each.test(userAgent))?.[1];
    return [`${name} ${version}`, system].filter(Boolean).join(', ');
  }
  return userAgent;
}
