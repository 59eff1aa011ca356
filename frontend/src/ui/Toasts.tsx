import { CheckCircle2, TriangleAlert, X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { IconButton } from './Button';

interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  undo?: () => void;
}

interface Toaster {
  done: (text: string, undo?: () => void) => void;
  failed: (text: string) => void;
}

const ToastContext = createContext<Toaster>({ done: () => {}, failed: () => {} });

export function useToasts(): Toaster {
  return useContext(ToastContext);
}

/** Short messages in a corner; what went wrong stays until it is read. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const next = useRef(1);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const toaster = useMemo<Toaster>(() => {
    function show(toast: Omit<Toast, 'id'>) {
      const id = next.current++;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      if (toast.kind === 'done') setTimeout(() => close(id), 6000);
    }
    return {
      done: (text, undo) => show({ kind: 'done', text, ...(undo ? { undo } : {}) }),
      failed: (text) => show({ kind: 'failed', text }),
    };
  }, [close]);
  return (
    <ToastContext value={toaster}>
      {children}
      <section
        aria-label="Messages"
        aria-live="polite"
        className="fixed right-4 bottom-20 z-50 flex w-80 flex-col gap-2 md:bottom-4"
      >
        {toasts.map((toast) => (
          <div
            key={toast.id}
            className="flex items-start gap-2.5 rounded-lg border border-line bg-raised p-3 shadow-(--shadow)"
          >
            {toast.kind === 'done' ? (
              <CheckCircle2 aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-running" />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-failed" />
            )}
            <p className="min-w-0 flex-1 break-words">{toast.text}</p>
            {toast.undo && (
              <button
                type="button"
                className="font-medium text-accent-ink"
                onClick={() => {
                  toast.undo?.();
                  close(toast.id);
                }}
              >
                Undo
              </button>
            )}
            <IconButton name="Dismiss" className="-my-1 -mr-1 size-6" onClick={() => close(toast.id)}>
              <X aria-hidden="true" className="size-3.5" />
            </IconButton>
          </div>
        ))}
      </section>
    </ToastContext>
  );
}
