#include "focus.h"
sharc_page *sharc__focus_choose(const struct book *b, const struct sharc_strategy_params *params, uint32_t *ret_count)
{
    (void)b;
    (void)params;
    *ret_count = 0;
    return NULL;
}
