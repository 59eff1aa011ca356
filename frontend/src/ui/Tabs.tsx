import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface Tab {
  id: string;
  title: string;
  content: ReactNode;
  /** Stays alive while another tab is shown (a terminal). */
  keep?: boolean;
}

export function Tabs({
  tabs,
  shown,
  onShow,
}: {
  tabs: readonly Tab[];
  shown: string;
  onShow: (id: string) => void;
}) {
  return (
    <Radix.Root value={shown} onValueChange={onShow}>
      <Radix.List className="flex gap-1 overflow-x-auto border-line border-b" aria-label="Sections">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px h-10 whitespace-nowrap border-transparent border-b-2 px-3 text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          value={tab.id}
          {...(tab.keep ? { forceMount: true as const } : {})}
          className="pt-4 data-[state=inactive]:hidden"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
