import type { Panel, Section } from '../panel.ts';

/** Panels of one app, in addition to the panels that every app has. */
export interface OwnPanels {
  /** Operations that last as long as their callers want. Panels of durations leave them out. */
  lasting?: readonly string[];
  /** Alerts about the duration of its requests. */
  slow?: Pick<Panel, 'alerts' | 'drawsAlerts'>;
  /** Shown after the section `Now`, before the other sections that every app has. */
  sections: readonly Section[];
}
