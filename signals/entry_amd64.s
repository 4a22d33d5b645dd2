//go:build entry

// What the kernel jumps to instead of the Go runtime: entry.go says what each
// step is for. It may use any register but SP, where the kernel has put the
// arguments.

#include "textflag.h"

#define SYS_rt_sigprocmask	14
#define SYS_rt_sigreturn	15
#define SYS_write	1
#define SIGCHLD	17

TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	// 1. The mask, and the new one.
	MOVQ	$2, DI // SIG_SETMASK
	LEAQ	·heldAtEntry(SB), SI
	LEAQ	·blockedAtEntry(SB), DX
	MOVQ	$8, R10
	MOVQ	$SYS_rt_sigprocmask, AX
	SYSCALL

	// 2. The runtime's table.
	LEAQ	·patient(SB), BX
patient:
	MOVQ	0(BX), AX // the place in the table
	TESTQ	AX, AX
	JEQ	done
	LEAQ	runtime·sigtable(SB), DI
	ADDQ	AX, DI
	MOVL	8(BX), CX // flags
	CMPL	CX, 0(DI)
	JNE	other
	MOVQ	16(BX), CX // length of the name
	CMPQ	CX, 16(DI)
	JNE	other
	MOVL	$1, 0(DI) // _SigNotify
other:
	ADDQ	$24, BX
	JMP	patient
done:
	// 3. The environment. SP points at argc, argv, 0, envp, 0.
	MOVQ	0(SP), AX
	LEAQ	16(SP)(AX*8), BX // envp
	MOVQ	0(BX), AX
	MOVQ	AX, ·environAt(SB)
	LEAQ	·oneProcessor(SB), DX // in place of the first variable
	XORQ	CX, CX // how many
hide:
	CMPQ	0(BX)(CX*8), $0
	JEQ	hidden
	MOVQ	DX, 0(BX)(CX*8)
	LEAQ	·nothing(SB), DX // and of all others
	INCQ	CX
	JMP	hide
hidden:
	MOVQ	CX, ·environCount(SB)

	// 4. The handler's address, which Go code can't take.
	LEAQ	·handler(SB), AX
	MOVQ	AX, ·handlerAt(SB)
	LEAQ	·restorer(SB), AX
	MOVQ	AX, ·restorerAt(SB)
	MOVQ	$1, ·entered(SB)
	JMP	_rt0_amd64_linux(SB)

// The handler of signals, see subscribe.go. The signal is in DI.
TEXT ·handler(SB),NOSPLIT|NOFRAME,$0
	CMPQ	DI, $SIGCHLD
	JEQ	out // who waits is woken, and that is all
	PUSHQ	DI
	MOVQ	SP, SI
	MOVQ	·sentEnd(SB), DI
	MOVQ	$1, DX // one byte, the lowest
	MOVQ	$SYS_write, AX
	SYSCALL
	MOVQ	$1, DI // SIG_UNBLOCK: CHLD has its turn behind each other signal
	LEAQ	·onlyChild(SB), SI
	XORQ	DX, DX
	MOVQ	$8, R10
	MOVQ	$SYS_rt_sigprocmask, AX
	SYSCALL
	POPQ	DI
out:
	RET

// What it returns to: x86 wants one from us, sigreturn(2).
TEXT ·restorer(SB),NOSPLIT|NOFRAME,$0
	MOVQ	$SYS_rt_sigreturn, AX
	SYSCALL
	INT	$3 // not reached
