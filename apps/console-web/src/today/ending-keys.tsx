import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Hint } from '../ui/data/trouble.tsx';
import { Ago } from '../ui/data/time.tsx';

const soonMs = 14 * 86_400_000;

/** Keys that end within 14 days, and have no successor. */
export function EndingKeys() {
  const org = useOrg();
  const [now] = useState(Date.now);
  const keys = useCall('listKeys', { params: { org: org.id } });
  const ending = (keys.data?.data ?? []).filter(({ expires_at, revoked_at, replaced_by }) => {
    const leftMs = Date.parse(expires_at ?? '') - now;
    return leftMs > 0 && leftMs < soonMs && !revoked_at && !replaced_by;
  });
  if (ending.length === 0) return null;
  return (
    <Hint>
      {ending.map(({ id, name, expires_at }) => (
        <p key={id}>
          ⚠ The API key <OrgLink to="/o/$org/settings/keys">{name}</OrgLink> expires <Ago of={expires_at!} />. Rotate it
          before then.
        </p>
      ))}
    </Hint>
  );
}
